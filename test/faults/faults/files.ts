/** What only who knows a file's hash can tell. */
import { answer } from '../proxy/rawAnswers';
import type { Fault } from '../shapes';

export const OTHER_BYTES_OF_ITS_LENGTH = 'other bytes of the same length';

export const files: readonly Fault[] = [
	{
		name: OTHER_BYTES_OF_ITS_LENGTH,
		family: 'files',
		on: ['file', 'web'],
		delivery: 'whole',
		seen: 'fine',
		strike: async (exchange) => {
			const got = await exchange.deliver();
			const body = Buffer.from(got.body);
			const middle = body.length >> 1;
			body[middle] = (body[middle] ?? 0) ^ 0xff;
			answer(exchange, { ...got, body });
		},
	},
];
