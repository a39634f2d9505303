import { FEATURES } from './support/features';
import { graphNames, graphText } from './support/recordings';

const files = graphNames().map((name) => ({ name, file: JSON.parse(graphText(name)) as Parameters<(typeof FEATURES)[string]>[0] }));

describe('graphs of our own drawing', () => {
	it('are more than eighty', () => expect(files.length).toBeGreaterThanOrEqual(80));

	it.each(Object.entries(FEATURES))('show in several: %s', (_, holds) => {
		expect(files.filter(({ file }) => holds(file)).map(({ name }) => name)).toEqual(
			expect.arrayContaining([expect.any(String), expect.any(String)]),
		);
		expect(files.filter(({ file }) => holds(file)).length).toBeGreaterThanOrEqual(3);
	});
});
