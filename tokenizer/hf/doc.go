package hf
