package install_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nopezoo/zoo/runtime/ort/install"
)

// A program installs the library for its user, once: it is fetched where it is not
// there yet.
func ExampleSetup() {
	done, err := install.Setup(context.Background(), install.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Path, "from", done.Origin)
}
