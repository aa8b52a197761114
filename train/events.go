package train

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// TensorBoard reads event files: TFRecords (length, its checksum, data, its
// checksum), each an Event message of tensorflow/core/util/event.proto. The
// numbers below are its field numbers, summary.proto's, tensor.proto's, those of the plugin
// hparams (plugin_data.proto, api.proto) and of google/protobuf/struct.proto.
const (
	eventWallTime   = 1
	eventStep       = 2
	eventVersion    = 3
	eventSummary    = 5
	eventSession    = 7
	summaryValue    = 1
	valueTag        = 1
	valueSimple     = 2
	sessionStatus   = 1
	sessionStarted  = 1
	valueTensor     = 8
	valueMetadata   = 9
	metadataPlugin  = 1
	pluginName      = 1
	pluginContent   = 2
	tensorType      = 1
	tensorFloat     = 1
	tensorShape     = 2
	shapeDim        = 2
	dimSize         = 1
	tensorFloats    = 5
	hparamsStart    = 3
	startHParams    = 1
	mapKey          = 1
	mapValue        = 2
	anyNumber       = 2
	anyText         = 3
	eventFileFormat = "brain.Event:2"
)

// scalar is one number of an event.
type scalar struct {
	tag   string
	value float64
}

// appendHeader begins an event file. The session that starts at a step makes
// TensorBoard forget what an interrupted one noted from there on.
func appendHeader(b []byte, wall float64, step int) []byte {
	version := protowire.AppendTag(stamp(wall, 0), eventVersion, protowire.BytesType)
	b = appendTFRecord(b, protowire.AppendString(version, eventFileFormat))
	session := protowire.AppendVarint(protowire.AppendTag(nil, sessionStatus, protowire.VarintType), sessionStarted)
	event := protowire.AppendTag(stamp(wall, step), eventSession, protowire.BytesType)
	return appendTFRecord(b, protowire.AppendBytes(event, session))
}

// appendScalars adds an event that holds some numbers of a step.
func appendScalars(b []byte, wall float64, step int, scalars []scalar) []byte {
	var summary []byte
	for _, s := range scalars {
		value := protowire.AppendString(protowire.AppendTag(nil, valueTag, protowire.BytesType), s.tag)
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(s.value)))
		summary = protowire.AppendBytes(protowire.AppendTag(summary, summaryValue, protowire.BytesType), value)
	}
	event := protowire.AppendTag(stamp(wall, step), eventSummary, protowire.BytesType)
	return appendTFRecord(b, protowire.AppendBytes(event, summary))
}

// hparam is a setting by which TensorBoard filters runs, a number or else text.
type hparam struct {
	name   string
	text   string
	number float64
}

// appendHParams adds an event that says what a run's settings are. The plugin reads them from the description of a tensor,
// which holds a 0.
func appendHParams(b []byte, wall float64, settings []hparam) []byte {
	message := func(b []byte, field protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
	}
	var start []byte
	for _, s := range settings {
		value := message(nil, anyText, []byte(s.text))
		if s.text == "" {
			value = protowire.AppendFixed64(protowire.AppendTag(nil, anyNumber, protowire.Fixed64Type), math.Float64bits(s.number))
		}
		start = message(start, startHParams, message(message(nil, mapKey, []byte(s.name)), mapValue, value))
	}
	plugin := message(message(nil, pluginName, []byte("hparams")), pluginContent, message(nil, hparamsStart, start))
	one := protowire.AppendVarint(protowire.AppendTag(nil, dimSize, protowire.VarintType), 1)
	zero := protowire.AppendVarint(protowire.AppendTag(nil, tensorType, protowire.VarintType), tensorFloat)
	zero = message(message(zero, tensorShape, message(nil, shapeDim, one)), tensorFloats, make([]byte, 4))
	value := message(nil, valueTag, []byte("_hparams_/session_start_info"))
	value = message(message(value, valueTensor, zero), valueMetadata, message(nil, metadataPlugin, plugin))
	return appendTFRecord(b, message(stamp(wall, 0), eventSummary, message(nil, summaryValue, value)))
}

// stamp begins an event with time (seconds since 1970) and step.
func stamp(wall float64, step int) []byte {
	b := protowire.AppendFixed64(protowire.AppendTag(nil, eventWallTime, protowire.Fixed64Type), math.Float64bits(wall))
	return protowire.AppendVarint(protowire.AppendTag(b, eventStep, protowire.VarintType), uint64(step))
}

// appendTFRecord frames data.
func appendTFRecord(b, data []byte) []byte {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(append(b, length[:]...), maskedCRC(length[:]))
	return binary.LittleEndian.AppendUint32(append(b, data...), maskedCRC(data))
}

// maskedCRC is the CRC-32C, rotated and shifted as TFRecords have it.
func maskedCRC(data []byte) uint32 {
	crc := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (crc>>15 | crc<<17) + 0xa282ead8
}
