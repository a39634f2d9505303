import { filesIntoForm, withFiles } from '../../../nodes/ComfyRunRouterModel/model/run/inputFiles';

type Placed = Parameters<typeof withFiles>[1][number];

const dataUri = 'data:image/png;base64,QUJD';
const file = (field: string, path: Placed['path'], place: Placed['place'] = 'dataUri'): Placed => ({ field, path, place, dataUri });

it.each<[string, object, Placed, object]>([
	['as a data URI', {}, file('image', ['image']), { image: dataUri }],
	['as bare base64', {}, file('mask', ['mask'], 'base64'), { mask: 'QUJD' }],
	['as the first of a list', {}, file('images', ['images'], 'list'), { images: [dataUri] }],
	['at the end of a list', { images: ['a'] }, file('images', ['images']), { images: ['a', dataUri] }],
	['at its place in a list', { images: ['a', 'b'] }, file('images[0]', ['images', 0]), { images: [dataUri, 'b'] }],
	['deep inside', { a: { b: 1 } }, file('a.c[0].d', ['a', 'c', 0, 'd']), { a: { b: 1, c: [{ d: dataUri }] } }],
])('a file is put %s', (_, body, placed, expected) => {
	expect(withFiles(body as Record<string, unknown>, [placed])).toEqual(expected);
});

it('a form’s own fields are filled before it is checked, the others after', () => {
	const [list, deep] = [file('images', ['images'], 'list'), file('box.image', ['box', 'image'])];
	expect(filesIntoForm({ images: '["a"]' }, [list, deep], new Set(['images']))).toEqual({
		values: { images: ['a', dataUri] },
		others: [deep],
	});
});
