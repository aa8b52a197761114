//go:build cgo && linux

package ort

/*
#include <signal.h>

// Signals 1 to 64; the entry stays unset where the system refuses.
static void zoo_save_signals(struct sigaction *old, unsigned char *known) {
  for (int s = 1; s < 65; s++) known[s] = sigaction(s, NULL, &old[s]) == 0;
}

static void zoo_restore_signals(struct sigaction *old, unsigned char *known) {
  for (int s = 1; s < 65; s++) if (known[s]) sigaction(s, &old[s], NULL);
}
*/
import "C"

// keepSignals runs f and puts the process's signal handlers back as they were,
// so that a library which installs its own does not take Ctrl-C from Go.
func keepSignals(f func() error) error {
	var old [65]C.struct_sigaction
	var known [65]C.uchar
	C.zoo_save_signals(&old[0], &known[0])
	defer C.zoo_restore_signals(&old[0], &known[0])
	return f()
}
