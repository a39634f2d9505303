/** Frames that no service should send. */

const UNKNOWN_BINARY_TYPE = 99;

/** Malformed text, JSON of a wrong shape, unknown types, and binary frames that end too early. */
export const GARBAGE: ReadonlyArray<string | Uint8Array> = [
	'not json at all',
	'{"type":"executing","data":{"prompt_id":"cut o',
	'null',
	'[1,2,3]',
	'"text"',
	'{}',
	'{"type":"progress"}',
	'{"type":5,"data":"five"}',
	'{"type":"executing","data":{"prompt_id":7,"node":{"a":1}}}',
	'{"type":"progress_state","data":{"prompt_id":"x","nodes":[null]}}',
	'{"type":"executed","data":{"prompt_id":"x","node":"1","output":{"images":[5,null,{}]}}}',
	'{"type":"crystools.monitor","data":{"cpu_utilization":4.2}}',
	Buffer.alloc(0),
	Buffer.from([0, 0]),
	Buffer.from([0, 0, 0, 1]),
	Buffer.from([0, 0, 0, 3, 0, 0, 0, 200, 65]),
	Buffer.from([0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 123]),
	Buffer.from([0, 0, 0, 4, 0, 0, 0, 2, 123, 34, 1, 2, 3]),
	Buffer.from([0, 0, 0, UNKNOWN_BINARY_TYPE, 1, 2, 3, 4]),
];

/** A well-formed binary frame of this many bytes, of the unknown type 0. */
export const oversized = (bytes: number): Uint8Array => Buffer.alloc(bytes);
