export interface Tensor {
	shape: number[];
	values: Float32Array;
}

/** A safetensors file: header length (8 bytes, little-endian), JSON header padded to 8, then the tensors' bytes. */
export function encodeSafetensors(tensors: Record<string, Tensor>): Buffer {
	const header: Record<string, unknown> = {};
	const bodies: Buffer[] = [];
	let offset = 0;
	for (const [name, { shape, values }] of Object.entries(tensors)) {
		const body = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
		header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + body.length] };
		offset += body.length;
		bodies.push(body);
	}
	const json = JSON.stringify(header);
	const padded = Buffer.from(json.padEnd(Math.ceil(json.length / 8) * 8, ' '));
	const length = Buffer.alloc(8);
	length.writeBigUInt64LE(BigInt(padded.length));
	return Buffer.concat([length, padded, ...bodies]);
}
