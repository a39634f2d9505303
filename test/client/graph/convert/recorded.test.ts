import { differences } from './support/compare';
import { converted } from './support/converted';
import { definitions, expectedOf, graphNames, graphText, recordingNames, recordingOf } from './support/recordings';

const names = graphNames();
const refused = names.filter((name) => expectedOf(name).refusals !== undefined);
const known = names.filter((name) => !refused.includes(name));

/** In the order of their nodes, and only the facts that are asked for of any. */
const asAsked = (facts: object[], asked: object[]): string[] =>
	facts
		.map((fact) =>
			JSON.stringify(
				Object.entries(fact)
					.filter(([name]) => asked.length === 0 || asked.some((one) => name in one))
					.sort(),
			),
		)
		.sort();

describe('graphs of our own drawing', () => {
	it('are all recorded, but for those that are refused, and nothing else is', () => {
		expect(names).toEqual(expect.arrayContaining(recordingNames()));
		expect(recordingNames()).toEqual(expect.arrayContaining(known));
	});

	it.each(known)('%s becomes what the frontend exports', (name) => {
		const recording = recordingOf(name);
		const { output, notes, refusals } = converted(graphText(name), definitions);
		expect(refusals).toEqual([]);
		expect(differences(output ?? {}, recording?.output ?? {}, definitions)).toEqual(expectedOf(name).differences ?? []);
		const asked = expectedOf(name).notes ?? [];
		expect(asAsked(notes, asked)).toEqual(asAsked(asked, asked));
	});

	it.each(refused)('%s is refused, and says why', (name) => {
		const { refusals } = converted(graphText(name), definitions);
		const asked = expectedOf(name).refusals ?? [];
		expect(asAsked(refusals, asked)).toEqual(asAsked(asked, asked));
	});
});
