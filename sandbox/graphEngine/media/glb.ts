const FLOAT = 5126;
const ARRAY_BUFFER = 34962;

/** A binary glTF 2.0 file with one mesh of triangles. */
export function encodeGlb(positions: Float32Array): Buffer {
	const body = Buffer.from(positions.buffer, positions.byteOffset, positions.byteLength);
	const axes = [0, 1, 2].map((axis) => positions.filter((_, index) => index % 3 === axis));
	const json = JSON.stringify({
		asset: { version: '2.0' },
		scene: 0,
		scenes: [{ nodes: [0] }],
		nodes: [{ mesh: 0 }],
		meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
		accessors: [
			{
				bufferView: 0,
				componentType: FLOAT,
				count: positions.length / 3,
				type: 'VEC3',
				min: axes.map((values) => Math.min(...values)),
				max: axes.map((values) => Math.max(...values)),
			},
		],
		bufferViews: [{ buffer: 0, byteLength: body.length, target: ARRAY_BUFFER }],
		buffers: [{ byteLength: body.length }],
	});
	const chunks = [chunk('JSON', Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4, ' '))), chunk('BIN\0', body)];
	const header = Buffer.alloc(12);
	header.write('glTF', 0, 'latin1');
	header.writeUInt32LE(2, 4);
	header.writeUInt32LE(12 + chunks.reduce((sum, { length }) => sum + length, 0), 8);
	return Buffer.concat([header, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
	const header = Buffer.alloc(8);
	header.writeUInt32LE(data.length, 0);
	header.write(type, 4, 'latin1');
	return Buffer.concat([header, data]);
}
