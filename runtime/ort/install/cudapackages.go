package install

import (
	"github.com/nopezoo/zoo/internal/ort/library"
)

// wheel is a package of the Python registry, of one version and for one platform.
type wheel struct {
	requirement
	sha256   string
	size     int64    // bytes
	files    []string // base names of the libraries taken out of it
	unpacked int64    // bytes of these
}

// cudaVersion is the version of CUDA that cudaWheels holds.
const cudaVersion = "13"

// cudaWheels lists what of CUDA 13 and cuDNN 9 the CUDA provider of ort.Version needs,
// as NVIDIA packs it: of CUDA 13.0, for which the provider is built, and which every
// driver for CUDA 13 runs. Hashes and sizes are of the packages that the pip
// client delivered and verified.
func cudaWheels(p library.Platform) []wheel {
	switch p {
	case "linux-amd64":
		return []wheel{
			{requirement{"nvidia-cuda-runtime", "13.0.96", "manylinux2014_x86_64"},
				"7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548", 2_243_632,
				[]string{"libcudart.so.13"}, 704_288},
			{requirement{"nvidia-cuda-nvrtc", "13.0.88", "manylinux2010_x86_64"},
				"ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575", 90_215_200,
				[]string{"libnvrtc.so.13", "libnvrtc-builtins.so.13.0"}, 113_718_680},
			{requirement{"nvidia-curand", "10.4.0.35", "manylinux_2_27_x86_64"},
				"1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc", 59_544_258,
				[]string{"libcurand.so.10"}, 132_698_328},
			{requirement{"nvidia-cublas", "13.1.0.3", "manylinux_2_27_x86_64"},
				"ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171", 423_133_236,
				[]string{"libcublasLt.so.13", "libcublas.so.13"}, 595_773_576},
			{requirement{"nvidia-cudnn-cu13", "9.15.1.9", "manylinux_2_27_x86_64"},
				"ebc9a647918df0d7298d67cfaf41579fd4c78ead9aba246f5ad9414d61b9ec4c", 351_298_418,
				[]string{"libcudnn.so.9", "libcudnn_adv.so.9", "libcudnn_cnn.so.9", "libcudnn_engines_precompiled.so.9",
					"libcudnn_engines_runtime_compiled.so.9", "libcudnn_graph.so.9", "libcudnn_heuristic.so.9",
					"libcudnn_ops.so.9"}, 472_445_472},
		}
	case "windows-amd64":
		return []wheel{
			{requirement{"nvidia-cuda-runtime", "13.0.96", "win_amd64"},
				"f79298c8a098cec150a597c8eba58ecdab96e3bdc4b9bc4f9983635031740492", 2_927_037,
				[]string{"cudart64_13.dll"}, 470_640},
			{requirement{"nvidia-cuda-nvrtc", "13.0.88", "win_amd64"},
				"6bcd4e7f8e205cbe644f5a98f2f799bef9556fefc89dd786e79a16312ce49872", 76_807_835,
				[]string{"nvrtc64_130_0.dll", "nvrtc-builtins64_130.dll"}, 95_436_352},
			{requirement{"nvidia-cublas", "13.1.0.3", "win_amd64"},
				"2a3b94a37def342471c59fad7856caee4926809a72dd5270155d6a31b5b277be", 404_355_960,
				[]string{"cublasLt64_13.dll", "cublas64_13.dll"}, 531_963_104},
			{requirement{"nvidia-cudnn-cu13", "9.15.1.9", "win_amd64"},
				"e99068ca372b9791483759705ff79545e6e0ab5fe6352772e084cc6d1a419ab6", 336_136_012,
				[]string{"cudnn64_9.dll", "cudnn_adv64_9.dll", "cudnn_cnn64_9.dll", "cudnn_engines_precompiled64_9.dll",
					"cudnn_engines_runtime_compiled64_9.dll", "cudnn_graph64_9.dll", "cudnn_heuristic64_9.dll",
					"cudnn_ops64_9.dll"}, 418_369_920},
		}
	}
	return nil
}

// sizes sums what wheels cost to download and what their libraries take.
func sizes(all []wheel) (download, keep int64) {
	for _, w := range all {
		download += w.size
		keep += w.unpacked
	}
	return download, keep
}
