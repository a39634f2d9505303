import { findDefinition, listClassNames } from '../../../../client/graph/inputs/definitions';

it('lists each class of the nodes of a graph once', () => {
	const node = (class_type: string) => ({ class_type, inputs: {} });
	expect(listClassNames({ '1': node('LoadImage'), '2': node('SaveImage'), '3': node('LoadImage') })).toEqual(['LoadImage', 'SaveImage']);
});

it('finds the definition of a class, but nothing that every object has', () => {
	const definitions = { LoadImage: { input: {} } };
	expect(findDefinition(definitions, 'LoadImage')).toBe(definitions.LoadImage);
	expect([findDefinition(definitions, 'SaveImage'), findDefinition(definitions, 'toString')]).toEqual([undefined, undefined]);
});
