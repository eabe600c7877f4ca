package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// credentials are files in a folder: an authority that signs the certificates of
// the server and of its users, their tokens, and the key of service accounts.
// They stay the same as long as the folder does.
type credentials struct {
	dir                   string
	adminToken, userToken string
}

// certificateYears is the lifetime of certificates, longer than any folder is used.
const certificateYears = 10

func (c *credentials) path(name string) string { return filepath.Join(c.dir, name) }

func (c *credentials) read(name string) ([]byte, error) { return os.ReadFile(c.path(name)) }

func loadOrMakeCredentials(dir string) (*credentials, error) {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		// Creates it under another name and renames, so that an interrupted start leaves nothing incomplete.
		unfinished := &credentials{dir: dir + ".new"}
		if err := os.RemoveAll(unfinished.dir); err != nil {
			return nil, err
		}
		if err := unfinished.make(); err != nil {
			return nil, err
		}
		if err := os.Rename(unfinished.dir, dir); err != nil {
			return nil, err
		}
	}
	made := &credentials{dir: dir}
	admin, err := made.read("admin.token")
	if err != nil {
		return nil, err
	}
	user, err := made.read("user.token")
	made.adminToken, made.userToken = string(admin), string(user)
	return made, err
}

func (c *credentials) make() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	authority, err := c.makeAuthority()
	if err != nil {
		return err
	}
	server := certificate("kube-apiserver", nil, x509.ExtKeyUsageServerAuth)
	server.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	signed := map[string]*x509.Certificate{
		"server": server,
		"admin":  certificate("admin", []string{"system:masters"}, x509.ExtKeyUsageClientAuth),
		"user":   certificate("user", []string{"users"}, x509.ExtKeyUsageClientAuth),
	}
	for name, template := range signed {
		if err := c.sign(name, template, authority); err != nil {
			return err
		}
	}
	if _, err := c.makeKey("accounts"); err != nil {
		return err
	}
	admin, user := rand.Text(), rand.Text()
	tokens := fmt.Sprintf("%s,admin,admin,\"system:masters\"\n%s,user,user,\"users\"\n", admin, user)
	return errors.Join(
		c.write("admin.token", []byte(admin)),
		c.write("user.token", []byte(user)),
		c.write("tokens.csv", []byte(tokens)),
	)
}

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func (c *credentials) makeAuthority() (*authority, error) {
	key, err := c.makeKey("ca")
	if err != nil {
		return nil, err
	}
	template := certificate("test authority", nil)
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &authority{template, key}, c.write("ca.crt", pemOf("CERTIFICATE", der))
}

func (c *credentials) sign(name string, template *x509.Certificate, by *authority) error {
	key, err := c.makeKey(name)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, key.Public(), by.key)
	if err != nil {
		return err
	}
	return c.write(name+".crt", pemOf("CERTIFICATE", der))
}

func (c *credentials) makeKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, c.write(name+".key", pemOf("EC PRIVATE KEY", der))
}

func (c *credentials) write(name string, text []byte) error {
	return os.WriteFile(c.path(name), text, 0o600)
}

func certificate(name string, groups []string, uses ...x509.ExtKeyUsage) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: groups},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(certificateYears, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  uses,
	}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// kubeconfig has four contexts: admin (by certificate, the current one),
// admin-token, user and user-token. A user may do nothing until RBAC lets it.
func (c *credentials) kubeconfig(server string) ([]byte, error) {
	type named map[string]any
	var users, contexts []named
	add := func(name string, user named) {
		users = append(users, named{"name": name, "user": user})
		contexts = append(contexts, named{"name": name, "context": named{"cluster": "test", "user": name}})
	}
	for name, token := range map[string]string{"admin": c.adminToken, "user": c.userToken} {
		add(name, named{"client-certificate": c.path(name + ".crt"), "client-key": c.path(name + ".key")})
		add(name+"-token", named{"token": token})
	}
	cluster := named{"server": server, "certificate-authority": c.path("ca.crt")}
	return json.MarshalIndent(named{
		"apiVersion": "v1", "kind": "Config", "current-context": "admin",
		"clusters": []named{{"name": "test", "cluster": cluster}},
		"users":    users, "contexts": contexts,
	}, "", "  ")
}
