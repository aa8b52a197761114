package serve_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/runtime"
	_ "github.com/nopezoo/zoo/runtime/native"
	"github.com/nopezoo/zoo/serve"
	"github.com/nopezoo/zoo/zoo/catalogue"
)

// A model of the catalogue is served, and asked as curl would.
func Example() {
	file, err := catalogue.Embedded().ONNX("copy-rope", card.Portable)
	if err != nil {
		log.Fatal(err)
	}
	session, err := runtime.OpenBytes(file, runtime.Options{Provider: "go"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	handler, err := serve.New([]serve.Model{{Name: "copy", Session: session}}, serve.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer handler.Close()
	server := httptest.NewServer(handler)
	defer server.Close()

	body := `{"model": "copy", "prompt": "Copy: 7 tree B [SEP] ", "temperature": 0, "stream": true}`
	r, err := http.Post(server.URL+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	events, err := io.ReadAll(r.Body)
	if err != nil {
		log.Fatal(err)
	}
	for event := range strings.SplitSeq(string(events), "\n\n") {
		if _, text, found := strings.Cut(event, `"text":`); found {
			text, _, _ = strings.Cut(text, `,"index"`)
			fmt.Print(text, " ")
		}
	}
	fmt.Println(strings.HasSuffix(string(events), "data: [DONE]\n\n"))
	// Output: "7" " tree" " B" "" true
}
