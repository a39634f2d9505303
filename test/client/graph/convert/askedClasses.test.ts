import { classesIn, type Definitions, exactText, parseExact } from '../../../../client';
import { converted } from './support/converted';
import { definitions, expectedOf, graphNames, graphText } from './support/recordings';

/** A server is asked for these alone, while the other tests have the definitions of all classes at hand. */
describe('the classes that are asked for are all that is needed to convert', () => {
	const known = graphNames().filter((name) => expectedOf(name).refusals === undefined);

	it.each(known)('%s', (name) => {
		const asked = new Set(classesIn(parseExact(graphText(name))));
		const told: Definitions = Object.fromEntries(Object.entries(definitions).filter(([className]) => asked.has(className)));
		expect(exactText(converted(graphText(name), told))).toBe(exactText(converted(graphText(name), definitions)));
	});
});
