// Package conformance runs what the rest only models: real libraries beside their presets and guards, real parsers on what
// is exported. It is a module of its own, so that these libraries are nobody's dependencies but its own. All of it is in the
// tests; `make conformance` runs them.
package conformance
