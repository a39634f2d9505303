/** As the hosted service's own documents have it: `split` and `full_info` are ignored, refusals are texts. */
import { ApiError, exactText, type WorkflowLibrary } from '../../../client';
import { failureOf } from '../support/bytes';
import { useSandbox } from '../support/sandbox';

const harness = useSandbox();
afterEach(() => {
	harness.sandbox.configure({ v1Userdata: 'there' });
	harness.sandbox.deleteWorkflow('portraits/fox.app.json', { surface: 'hosted' });
});

const library = (settings = {}): WorkflowLibrary => harness.connectV1(settings).library as WorkflowLibrary;
const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
	const error = await failureOf(promise);
	return error instanceof ApiError ? error.code : undefined;
};

test('v2 keeps none', () => expect(harness.connect().library).toBeUndefined());

test('what the account has saved is listed and read, every digit of it', async () => {
	await expect(library().list()).resolves.toEqual([]);
	harness.sandbox.saveWorkflow('portraits/fox.app.json', '{"seed":18446744073709551615}', {
		surface: 'hosted',
		modifiedAt: Date.parse('2026-11-01T10:20:30.000Z'),
	});
	await expect(library().list()).resolves.toEqual([
		{ path: 'portraits/fox.app.json', isApp: true, sizeBytes: 29, modifiedAt: '2026-11-01T10:20:30.000Z' },
	]);
	expect(exactText(await library().read('portraits/fox.app.json'))).toBe('{"seed":18446744073709551615}');
});

test('another account’s are not', async () => {
	harness.sandbox.saveWorkflow('portraits/fox.app.json', {}, { surface: 'hosted' });
	const others = library({ token: harness.sandbox.keys.otherApiKey });
	await expect(others.list()).resolves.toEqual([]);
	expect(await codeOf(others.read('portraits/fox.app.json'))).toBe('workflow_not_found');
});

test('where it does not pass them through, that is said; there are no templates', async () => {
	harness.sandbox.configure({ v1Userdata: 'absent' });
	expect(await codeOf(library().list())).toBe('no_library');
	await expect(library().templates()).resolves.toEqual([]);
});

test('a wrong key is no missing library', async () => {
	expect(await codeOf(library({ token: 'wrong' }).list())).toBe('unauthorized');
});
