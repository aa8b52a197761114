package machine_test

import (
	"fmt"
	"testing"

	"github.com/nopezoo/zoo/internal/machine"
)

func ExampleMachine() {
	fmt.Println(machine.Machine{Processor: "a processor", Cores: 8})
	// Output: a processor, 8 cores
}

func TestThis(t *testing.T) {
	m := machine.This()
	if m.Processor == "" || m.Cores < 1 || m.MemoryFree > m.Memory {
		t.Errorf("this machine is %+v", m)
	}
}
