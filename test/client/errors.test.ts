import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CLIENT = join(__dirname, '../../client');

const classesThatExtendError = (): string[] =>
	readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => [...readFileSync(join(CLIENT, file), 'utf8').matchAll(/class (\w+) extends \w*Error\b/g)])
		.filter(([text]) => text.endsWith(' extends Error'))
		.map(([, name]) => String(name))
		.sort();

/** EndOfFile, TooLong and TimeLimitError end work inside one room, and are something else before they leave it. */
test('every error of the client is a ComfyError, but for what steers within a room', () => {
	expect(classesThatExtendError()).toEqual(['ComfyError', 'EndOfFile', 'TimeLimitError', 'TooLong']);
});
