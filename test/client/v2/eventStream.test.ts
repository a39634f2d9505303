import { readEventStream, type ServerEvent } from '../../../client/v2/events';
import { chunksOf } from '../support/bytes';

async function read(parts: Array<string | Uint8Array>, longestEvent?: number): Promise<ServerEvent[]> {
	const events: ServerEvent[] = [];
	for await (const event of readEventStream(chunksOf(...parts), longestEvent)) events.push(event);
	return events;
}

test('a stream yields names and data, and leaves comments out', async () => {
	const events = await read([': keep-alive\n\nevent: status\ndata: {"a":1}\n\ndata: plain\n\n']);
	expect(events).toEqual([
		{ name: 'status', data: '{"a":1}' },
		{ name: 'message', data: 'plain' },
	]);
});

test('an event is read when it is cut anywhere, even in the middle of a character', async () => {
	const bytes = Buffer.from('event: log\r\ndata: {"message":"größer 🐈"}\r\n\r\n');
	const events = await read([...bytes].map((byte) => Uint8Array.of(byte)));
	expect(events).toEqual([{ name: 'log', data: '{"message":"größer 🐈"}' }]);
});

test('an event that was never finished is left out', async () => {
	await expect(read(['event: status\ndata: {"a":'])).resolves.toEqual([]);
});

test('an event that is too long is skipped, and the next one is read', async () => {
	const parts = ['event: preview\ndata: ', ...Array.from({ length: 50 }, () => 'x'.repeat(100)), '\n\nevent: status\ndata: 1\n\n'];
	await expect(read(parts, 1_000)).resolves.toEqual([{ name: 'status', data: '1' }]);
});
