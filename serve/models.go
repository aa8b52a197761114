package serve

import "net/http"

// modelCard is a model as /v1/models tells it: OpenAI's fields, and others of use.
type modelCard struct {
	ID           string `json:"id"`
	Object       string `json:"object"`
	Created      int64  `json:"created"` // when the service began, in seconds since 1970
	OwnedBy      string `json:"owned_by"`
	Architecture string `json:"architecture"`
	Encoding     string `json:"encoding,omitempty"`
	Task         string `json:"task,omitempty"`
	MaxTokens    int    `json:"max_tokens"` // of a prompt and its answer together
	Provider     string `json:"provider"`
}

func (h *Handler) cardOf(s *served) modelCard {
	info := s.Session.Info()
	return modelCard{
		ID: s.Name, Object: "model", Created: h.began.Unix(), OwnedBy: "zoo", Architecture: info.Card.Architecture,
		Encoding: info.Card.Encoding, Task: info.Card.Task, MaxTokens: h.mostTokens(s), Provider: info.Provider,
	}
}

func (h *Handler) listModels(c *call) error {
	list := struct {
		Object string      `json:"object"`
		Data   []modelCard `json:"data"`
	}{Object: "list"}
	for _, s := range h.models {
		list.Data = append(list.Data, h.cardOf(s))
	}
	c.json(http.StatusOK, list)
	return nil
}

func (h *Handler) showModel(c *call) error {
	s, err := h.lookup(c.r.PathValue("id"))
	if err == nil {
		c.json(http.StatusOK, h.cardOf(s))
	}
	return err
}
