//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import "os"

// Works says whether locks keep anyone out on this system.
const Works = false

// noFollow is no flag here: links are seen before a file is opened.
const noFollow = 0

// lock does nothing: the standard library has no lock for this system that ends with its process,
// and a lasting lock would keep a killed process from starting again.
func lock(*os.File) error { return nil }

// lockShared does nothing either.
func lockShared(*os.File) error { return nil }
