package train

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// TensorBoard reads event files: TFRecords (length, its checksum, data, its
// checksum), each an Event message of tensorflow/core/util/event.proto. The
// numbers below are its field numbers and summary.proto's.
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
