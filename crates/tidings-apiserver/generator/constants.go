package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// readConstants returns the values of each named string type of k8s.io/api, such as those of
// "k8s.io/api/core/v1.ServiceType".
func readConstants(folder string) map[string][]string {
	found := map[string][]string{}
	must(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		inside, err := filepath.Rel(folder, filepath.Dir(path))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			if group, isGroup := declaration.(*ast.GenDecl); isGroup && group.Tok == token.CONST {
				addConstants(found, "k8s.io/api/"+filepath.ToSlash(inside), group)
			}
		}
		return nil
	}))
	for _, values := range found {
		slices.Sort(values)
	}
	return found
}

func addConstants(found map[string][]string, folder string, group *ast.GenDecl) {
	for _, spec := range group.Specs {
		constant := spec.(*ast.ValueSpec)
		for _, expression := range constant.Values {
			named, isNamed := constant.Type.(*ast.Ident)
			// Some are conversions, such as A = Mode("a").
			if call, isCall := expression.(*ast.CallExpr); isCall && len(call.Args) == 1 {
				named, isNamed = call.Fun.(*ast.Ident)
				expression = call.Args[0]
			}
			literal, isLiteral := expression.(*ast.BasicLit)
			if !isNamed || !isLiteral || literal.Kind != token.STRING {
				continue
			}
			value, err := strconv.Unquote(literal.Value)
			must(err)
			name := folder + "." + named.Name
			if value != "" && !slices.Contains(found[name], value) {
				found[name] = append(found[name], value)
			}
		}
	}
}

func moduleFolder(module string) string {
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	must(err)
	return strings.TrimSpace(string(output))
}
