package ort

import (
	"errors"
	"strings"
	"testing"
)

// TestCUDACause: of what ONNX Runtime says the failure is left, and what to do about it is added.
func TestCUDACause(t *testing.T) {
	const around = "/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc:129 std::conditional_t<THRW, void, Status> " +
		"onnxruntime::CudaCall(ERRTYPE, const char*) [with ERRTYPE = cudaError] %s ; GPU=-1 ; hostname=node7 ; " +
		"file=/onnxruntime_src/x.cc ; line=282 ; expr=cudaSetDevice(info_.device_id);"
	for _, tt := range []struct{ text, short, remedy string }{
		{"CUDA failure 100: no CUDA-capable device is detected", "", "docker run --gpus all"},
		{"CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version", "", "install a newer NVIDIA driver"},
		{"CUDA failure 2: out of memory", "", "too little free memory"},
		{"CUDA failure 209: no kernel image is available for execution on the device", "", "use provider webgpu"},
		{"CUDNN failure 1001: CUDNN_STATUS_NOT_INITIALIZED", "", "zoo setup --provider cuda --with-cuda"},
		{"CUDA failure 719: unspecified launch failure", "", "zoo doctor --provider cuda"},
		{"BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 8", "whole", "too little free memory"},
		{"node Add has no kernel", "whole", ""},
	} {
		text := strings.Replace(around, "%s", tt.text, 1)
		want := tt.text
		if tt.short == "whole" {
			want = text
		}
		remedy, short := cudaCause(errors.New(text))
		if short.Error() != want || !strings.Contains(remedy, tt.remedy) || (remedy == "") != (tt.remedy == "") {
			t.Errorf("%s: %q, remedy %q; want %q and %q", tt.text, short, remedy, want, tt.remedy)
		}
	}
	if err := cudaError(errors.New("CUDA failure 100: none"), Library{Path: "/lib/libonnxruntime.so", Version: "1.2.3"}); !strings.HasPrefix(err.Error(),
		"CUDA failure 100: none (") || !strings.Contains(err.Error(), "driver") || !strings.Contains(err.Error(), "ONNX Runtime 1.2.3 from /lib/libonnxruntime.so): no card is visible") {
		t.Error(err)
	}
}
