module tidings.dev/suites

go 1.25
