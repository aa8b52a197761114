package ort

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTable compares the places of the functions with the header that comes with
// the binding.
func TestTable(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go").Output()
	if err != nil {
		t.Skip("needs the go command and the binding's source: ", err)
	}
	header, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "onnxruntime_c_api.h"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(header), "struct OrtApi {")
	body, _, _ = strings.Cut(body, "\n};")
	body = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`).ReplaceAllString(body, "")
	member := regexp.MustCompile(`ORT_API2_STATUS\(\s*(\w+)|ORT_CLASS_RELEASE2?\(\s*(\w+)|ORT_API_CALL\s*\*\s*(\w+)\)|ORT_API_T\([^,]+,\s*(\w+)`)
	place := map[string]function{}
	for i, m := range member.FindAllStringSubmatch(body, -1) {
		name := m[1] + m[3] + m[4]
		if m[2] != "" {
			name = "Release" + m[2]
		}
		place[name] = function(i)
	}
	for name, f := range map[string]function{
		"GetErrorMessage": getErrorMessage, "CreateEnv": createEnv, "DisableTelemetryEvents": disableTelemetryEvents, "CreateSessionFromArray": createSessionFromArray,
		"Run":                  run,
		"CreateSessionOptions": createSessionOptions, "EnableProfiling": enableProfiling,
		"DisableMemPattern": disableMemPattern, "SetSessionLogSeverityLevel": setSessionLogSeverityLevel,
		"SetSessionGraphOptimizationLevel": setSessionGraphOptimization, "SetIntraOpNumThreads": setIntraOpNumThreads,
		"CreateRunOptions": createRunOptions, "RunOptionsSetTerminate": runOptionsSetTerminate,
		"CreateTensorWithDataAsOrtValue": createTensorWithDataAsOrtValue, "GetTensorMutableData": getTensorMutableData,
		"CreateCpuMemoryInfo": createCPUMemoryInfo,
		"ReleaseEnv":          releaseEnv,
		"ReleaseStatus":       releaseStatus, "ReleaseMemoryInfo": releaseMemoryInfo, "ReleaseSession": releaseSession,
		"ReleaseValue": releaseValue, "ReleaseRunOptions": releaseRunOptions,
		"ReleaseSessionOptions": releaseSessionOptions,
		"GetAvailableProviders": getAvailableProviders, "ReleaseAvailableProviders": releaseAvailableProviders,
		"AddSessionConfigEntry": addSessionConfigEntry, "SessionOptionsAppendExecutionProvider_CUDA_V2": appendCUDA,
		"CreateCUDAProviderOptions": createCUDAProviderOptions, "UpdateCUDAProviderOptions": updateCUDAProviderOptions,
		"ReleaseCUDAProviderOptions": releaseCUDAProviderOptions,
		"CreateTensorAsOrtValue":     createTensorAsOrtValue, "MemoryInfoGetName": memoryInfoName, "CreateAllocator": createAllocator,
		"ReleaseAllocator": releaseAllocator, "SessionOptionsAppendExecutionProvider": appendProvider,
		"SessionGetMemoryInfoForInputs": memoryOfInputs, "Session_GetEpGraphAssignmentInfo": sessionAssignment,
		"EpAssignedSubgraph_GetEpName": assignedProvider, "EpAssignedSubgraph_GetNodes": assignedNodes,
		"EpAssignedNode_GetName": assignedNodeName, "EpAssignedNode_GetOperatorType": assignedNodeOperator,
	} {
		if want, ok := place[name]; !ok || f != want {
			t.Errorf("%s is function %d of the header (%v), and %d here", name, want, ok, f)
		}
	}
}
