import { startProgress } from '../../scripts/n8nHost/progress';

function terminal(columns: number, isTTY = true): { stream: NodeJS.WriteStream; written: string[] } {
	const written: string[] = [];
	const stream = { isTTY, columns, write: (text: string) => written.push(text) > 0 };
	return { stream: stream as unknown as NodeJS.WriteStream, written };
}

const COUNTS = '1234 packages known, 1200 fetched, 1100 in place';

it.each([40, 80])('P2: on %d columns the line is cut before its seconds, never at them', (columns) => {
	const { stream, written } = terminal(columns);
	const progress = startProgress('n8n 2.40.7 with Node 24 (3.4 GB, once)', stream);
	progress.show('installing', COUNTS);
	progress.end('installed');
	const [line = ''] = written.map((text) => text.replace('\r\x1b[K', ''));
	expect(line).toMatch(/^n8n 2\.40\.7 .*, \d+ s$/);
	expect(line.length).toBeLessThan(columns);
});

it('elsewhere a line is whole', () => {
	const { stream, written } = terminal(0, false);
	const progress = startProgress('something', stream);
	progress.show('installing', COUNTS);
	progress.end('installed');
	expect(written).toEqual([
		expect.stringMatching(/^something: installing \(1234 .*\), \d+ s\n$/),
		expect.stringMatching(/^something: installed, \d+ s\n$/),
	]);
});
