import { decodeTraceback } from '../../../client/comfyui/traceback';

const CLEAN = '  File "a.py", line 1\n    run(a)\n  File "b.py", line 2\n    a ^ b';

it.each<[what: string, wire: unknown]>([
	['a list of an engine', ['  File "a.py", line 1\n    run(a)\n    ^^^~~^\n', '  File "b.py", line 2\n    a ^ b\n    ~~^~~\n']],
	['a list without line feeds', ['  File "a.py", line 1', '    run(a)', '    ^^^~~^', '  File "b.py", line 2', '    a ^ b', '    ~~^~~']],
	['a text', '  File "a.py", line 1\n    run(a)\n    ^^^~~^\n  File "b.py", line 2\n    a ^ b\n    ~~^~~\n'],
])('G4: %s has no rows of markers for two calls', (_, wire) => {
	expect(decodeTraceback(wire)?.trimEnd()).toBe(CLEAN);
});

it.each<[what: string, wire: unknown]>([
	['an empty list', []],
	['a list without texts', [1, null]],
	['an empty text', ''],
	['an object', {}],
	['nothing', undefined],
])('%s is no traceback', (_, wire) => expect(decodeTraceback(wire)).toBeNull());
