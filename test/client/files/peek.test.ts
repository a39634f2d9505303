import { peek } from '../../../client';
import { collect } from '../support/bytes';

/** Three chunks in memory that is used again for each, and whether the consumer has ended the source. */
function newSource() {
	const state = { isEnded: false };
	async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
		const memory = new Uint8Array(2);
		try {
			for (const first of [1, 3, 5]) {
				memory.set([first, first + 1]);
				yield await Promise.resolve(memory);
			}
		} finally {
			state.isEnded = true;
		}
	}
	return { state, stream: stream() };
}

test.each([
	[3, [1, 2, 3]],
	[10, [1, 2, 3, 4, 5, 6]],
])('peeks at %d bytes, and the consumer gets all of them', async (length, expected) => {
	const { head, bytes } = await peek(newSource().stream, length);
	expect([...head]).toEqual(expected);
	expect([...(await collect(bytes))]).toEqual([1, 2, 3, 4, 5, 6]);
});

test('ends the source when the consumer ends before the first or after the first chunk', async () => {
	for (const isBegun of [false, true]) {
		const { state, stream } = newSource();
		const { bytes } = await peek(stream, 3);
		if (isBegun) await bytes.next();
		expect(state.isEnded).toBe(false);
		await bytes.return();
		expect(state.isEnded).toBe(true);
		expect([...(await collect(bytes))]).toEqual([]);
	}
});
