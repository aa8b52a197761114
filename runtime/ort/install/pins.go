package install

import (
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/internal/ort/library"
)

// pin is the SHA-256 of something we are willing to install.
type pin struct {
	source   string // "github", "npm", "pip" or cudaSource
	kind     string // "archive": the downloaded file; "library", "provider": files taken out of it
	platform library.Platform
	sha256   string
}

// officialPins is the one table of hashes, for ort.Version.
//
// github: hashes of the release archives, not yet confirmed by a download of
// ours. A wrong one makes Setup go on to the next source, never accept other
// bytes.
//
// npm, pip: hashes of the library inside the package, computed from the
// packages as the registries' own clients delivered and verified them
// (onnxruntime-node 1.29.0, whose tarball is
// cfdfb45ec4044b1fdca43e5d2e180fb6817e649ff8ad1e0dfc90e18e51b67037; the wheels of
// onnxruntime 1.29.0). The wheels differ per Python version, the library in
// them does not (compared: cp311 to cp314 on linux-amd64, cp311 and cp312 on
// linux-arm64), hence the library is pinned and not the wheel.
//
// cudaSource: the wheels of onnxruntime-gpu 1.29.0 for Python 3.12, and in them the
// library and its providers cuda and shared.
func officialPins() []pin {
	return []pin{
		{"github", "archive", "linux-amd64", "c3fddc4f139a045b0c4902c57410f0694f1c2fdf9b6939fbe38b1aeae7cd14ba"},
		{"github", "archive", "linux-arm64", "e1799098ebc054b370f6176a450f158720f297818c613e5dc99b92e2ec82346f"},
		{"github", "archive", "windows-amd64", "c9b4b7086b529ad814f428c1bad028e20a25d7dc0699836775faace4ab5b78b2"},
		{"github", "archive", "darwin-arm64", "d0706fc34f315d8c88639d0a8c81f2e09e815f282cabed3493c06a054352cf92"},

		{"npm", "library", "linux-amd64", "89688f5cf51c7e31befbb7b9101bc027799009b18d1baa9a5b1146a72e69538d"},
		{"npm", "library", "linux-arm64", "a27d21126db312aa8f02f3d5eaebe466e991f51f469882e6d0407d5a8b64afda"},
		{"npm", "library", "darwin-arm64", "3e4c63909e9fc6648c93c68741c1ccf1e3d89218dd1d6a7d4f3d629ffc7f9918"},
		{"npm", "library", "windows-amd64", "5e289b5494cc338d62806f2d24c24aa7cc09a00bbab0404d9169487a45e0053a"},
		{"npm", "library", "windows-arm64", "020f2f84f8029f2fa4b4c1443f8b1e0a659dc6cbed4a105ff908ff9a24d46306"},

		{"pip", "library", "linux-amd64", "8902e52a04bf6bf26f1613746811d6194f9c97ce7a6a7a28452b48522d3bd8d0"},
		{"pip", "library", "linux-arm64", "1444bdca675524f4d265f71397810c9b1f39164b6dccc8f1a39cd81d938e98f4"},
		{"pip", "library", "darwin-arm64", "8ab8982e8fc0a3d5121bf95404dba7a15d70b7df49a8bab1ba481ff961d93dc8"},
		{"pip", "library", "windows-amd64", "f9013e824c1dbc5b1874ffdabeedfd1cad4e2dabd9d93528f6ec6d21c2980d00"},
		{"pip", "library", "windows-arm64", "7ca16a9b0298e098b66dc956fa415a3081be59070320383a1701dab7b19a6120"},

		{cudaSource, "archive", "linux-amd64", "8ccd052ca4de21b2a335f3503a283126163b6fab9dba29d1d9cbf3fa55c51d28"},
		{cudaSource, "library", "linux-amd64", "99458e9d185dfa1a9b5f6510790ede3bedc25dea378adb904ce292b517eeaecf"},
		{cudaSource, "provider", "linux-amd64", "833d827e5de8030e541ccf6345f1a3e07c53ae9f3302930a1273035dd665e969"},
		{cudaSource, "provider", "linux-amd64", "086ec1d5388f64153d9c63470d126693db9a182c8ce236d3a1119068471b8a0d"},
		{cudaSource, "archive", "windows-amd64", "a64aa7c3dd7fa6b29fa7bcb0439ebd204607a590d3ce02bb276672257da4a454"},
		{cudaSource, "library", "windows-amd64", "3e7c91297c5e9aba2d122c6848160825d53d8291e0afd28a279982b26ca7e61c"},
		{cudaSource, "provider", "windows-amd64", "3a7e8ae57b5a32db7502821a1addd22bc254860adb55d3400954806e737769d2"},
		{cudaSource, "provider", "windows-amd64", "6f4a8734776da9995fe51457c01e384b9e36489c48c70e3f402e84c845e5dded"},
	}
}

// pinned returns the pins of one source (any source when "") for a platform.
func pinned(all []pin, source string, p library.Platform) []pin {
	return lists.Filter(all, func(x pin) bool { return (source == "" || x.source == source) && x.platform == p })
}

// What Setup downloads and keeps at most, in bytes: the npm package, which is for
// all platforms, and the largest of the libraries.
const (
	DownloadSize = 112_000_000
	LibrarySize  = 45_000_000
)
