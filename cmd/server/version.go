package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// version names this build: the version that Go derived from version control. A build that no commit describes adds
// a hash of the program itself, so that no two programs that may give different results share a name.
var version = sync.OnceValue(func() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	if v == "(devel)" || strings.Contains(v, "+dirty") {
		v += "." + programHash()
	}
	return v
})

// programHash falls back on the time: then at least no older program has the same.
func programHash() string {
	if hash, err := hashOfProgram(); err == nil {
		return hash
	}
	return strconv.FormatInt(time.Now().UnixNano(), 36)
}

func hashOfProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}
