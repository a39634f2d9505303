import { lookUp } from '../../../client/router/inputForm/schemaDocument';

const document = { components: { schemas: { 'a/b': 1, 'two words': 2, list: ['x', 'y'] } } };

it.each([
	['#/components/schemas/a~1b', 1],
	['#/components/schemas/two%20words', 2],
	['#/components/schemas/list/1', 'y'],
])('%s leads into the document', (reference, expected) => {
	expect(lookUp(document, reference)).toBe(expected);
});

it.each(['#/components/schemas/none', '#/constructor', 'https://example.com/#/components', 'components'])(
	'%s leads nowhere',
	(reference) => {
		expect(lookUp(document, reference)).toBeUndefined();
	},
);
