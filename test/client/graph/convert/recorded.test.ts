import { differences } from './support/compare';
import { converted } from './support/converted';
import {
	definitions,
	expectedDifferences,
	expectedOf,
	FRONTEND_VERSIONS,
	graphNames,
	graphText,
	recordingNames,
	recordingOf,
} from './support/recordings';
import { type Definitions, listClasses, parseExact } from '../../../../client';

const names = graphNames();
const refused = names.filter((name) => expectedOf(name).refusals !== undefined);
const known = names.filter((name) => !refused.includes(name));

/** Sorts the facts, and keeps only the properties that the expected facts have. */
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

describe('our own graphs', () => {
	it('are all recorded, except those that are refused, and there are no other recordings', () => {
		expect(names).toEqual(expect.arrayContaining(recordingNames()));
		expect(recordingNames()).toEqual(expect.arrayContaining(known));
	});

	it('C4: are recorded with every version of the frontend that we follow', () => {
		const lacking = known.flatMap((name) =>
			FRONTEND_VERSIONS.filter((version) => recordingOf(name, version) === undefined).map((version) => `${name} ${version}`),
		);
		expect(lacking).toEqual([]);
	});

	it('C4: have a decision in words where a version of the frontend exports something else', () => {
		const differ = known.filter((name) => FRONTEND_VERSIONS.some((version) => expectedDifferences(name, version).length > 0));
		expect(differ.filter((name) => (expectedOf(name).decision ?? '').length < 40)).toEqual([]);
	});

	/** At run time, only the definitions of these classes are read from the server. */
	it.each(known)('%s becomes what the frontend exports, with the definitions of its own classes', (name) => {
		const needed = new Set(listClasses(parseExact(graphText(name))));
		const own: Definitions = Object.fromEntries(Object.entries(definitions).filter(([className]) => needed.has(className)));
		const { output, notes, refusals } = converted(graphText(name), own);
		expect(refusals).toEqual([]);
		for (const version of FRONTEND_VERSIONS)
			expect([version, ...differences(output ?? {}, recordingOf(name, version)?.output ?? {}, definitions)]).toEqual([
				version,
				...expectedDifferences(name, version),
			]);
		const asked = expectedOf(name).notes ?? [];
		expect(asAsked(notes, asked)).toEqual(asAsked(asked, asked));
	});

	it.each(refused)('%s is refused, and says why', (name) => {
		const { refusals } = converted(graphText(name), definitions);
		const asked = expectedOf(name).refusals ?? [];
		expect(asAsked(refusals, asked)).toEqual(asAsked(asked, asked));
	});
});
