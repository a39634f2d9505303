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

/** Each of these ends work inside one module, which turns it into another error or result. */
test('every error of the client is a ComfyError, except those that one module uses internally', () => {
	expect(classesThatExtendError()).toEqual(['ComfyError', 'EndOfFile', 'TimeLimitError', 'TooLong', 'TooManyValues', 'TooSlowError']);
});
