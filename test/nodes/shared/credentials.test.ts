import { serverSettings } from '../../../nodes/shared/connect/openConnection';
import { readControlCredential, readCredential, readRouterCredential } from '../../../nodes/shared/credentials';
import { asHandedOn } from '../support/credentials';

const ADDRESS = 'http://gpu-box:8188';
const ELSEWHERE = 'http://studio:8188';

describe('where Automatic looks for an engine besides Address', () => {
	it.each([
		['at ComfyUI Address', { engineIsElsewhere: true, engineUrl: ELSEWHERE }, ELSEWHERE],
		['nowhere, where it is empty', { engineIsElsewhere: true, engineUrl: '' }, ''],
		['nowhere, if no other place is configured', { engineUrl: ELSEWHERE }, ''],
		['nowhere, where nothing was entered', {}, ''],
	])('%s', (_, fields, engineUrl) => {
		const data = asHandedOn({ type: 'comfySelfHostedApi', data: { baseUrl: ADDRESS, ...fields } });
		const read = readCredential('comfySelfHostedApi', data);
		expect(read).toMatchObject({ interface: 'automatic', baseUrl: ADDRESS, engineUrl, addressLabel: 'Address' });
		const control = serverSettings(readControlCredential('comfySelfHostedApi', data));
		expect(control).toMatchObject({ wanted: 'engine', baseUrl: ADDRESS, engineUrl });
	});
});

it.each([
	['ComfyUI Address', ELSEWHERE, ELSEWHERE],
	['Address', '', ADDRESS],
])('Interface Engine goes to %s, with its Authorization, if ComfyUI Address is %j', (addressLabel, engineUrl, baseUrl) => {
	const data = { baseUrl: ADDRESS, engineAuthorizationSecret: 'Basic of-the-front', engineUrl };
	const read = readCredential('comfySelfHostedApi', data, 'engine');
	expect(read).toMatchObject({ baseUrl, authorization: 'Basic of-the-front', addressLabel });
});

describe('an address without a scheme', () => {
	it.each([
		['127.0.0.1:8188', 'http://127.0.0.1:8188'],
		['localhost:8188', 'http://localhost:8188'],
		[' comfyui:8188/one ', 'http://comfyui:8188/one'],
		['[::1]:8188', 'http://[::1]:8188'],
		['HTTPS://gpu-box', 'HTTPS://gpu-box'],
	])('of a server of one’s own is http: %s', (entered, baseUrl) => {
		expect(readCredential('comfySelfHostedApi', { baseUrl: entered, engineUrl: entered })).toMatchObject({ baseUrl, engineUrl: baseUrl });
	});

	it('that gets a key is https: a key does not leave in the clear unless http is entered', () => {
		expect(readCredential('comfyApi', { baseUrl: 'my-deployment.example', hostedUrl: 'cloud.example' })).toMatchObject({
			baseUrl: 'https://my-deployment.example',
			hostedUrl: 'https://cloud.example',
		});
		expect(readRouterCredential('comfyApi', { routerUrl: 'router.example:8443' })).toMatchObject({
			baseUrl: 'https://router.example:8443',
		});
		expect(readCredential('comfyApi', { baseUrl: 'http://127.0.0.1:9000' })).toMatchObject({ baseUrl: 'http://127.0.0.1:9000' });
	});
});

it('with More Settings off the public addresses are used, whatever was entered before', () => {
	const data = asHandedOn({
		type: 'comfyApi',
		data: {
			apiKey: 'key',
			baseUrl: 'https://my-deployment.example',
			hostedUrl: 'https://old.example',
			routerUrl: 'https://old.example',
			ignoreSslIssues: true,
		},
	});
	expect(readCredential('comfyApi', data)).toMatchObject({
		baseUrl: 'https://my-deployment.example',
		hostedUrl: 'https://cloud.comfy.org',
		partnerKey: 'key',
		partnerKeyField: 'api_key_comfy_org',
		rejectUnauthorized: true,
	});
	expect(readRouterCredential('comfyApi', data)).toMatchObject({
		baseUrl: 'https://api.comfy.org',
		prefix: 'automatic',
		rejectUnauthorized: true,
	});
	expect(readRouterCredential('comfyRouterJwtApi', asHandedOn({ type: 'comfyRouterJwtApi', data: { token: 'jwt' } }))).toMatchObject({
		baseUrl: 'https://api.comfy.org',
		token: 'jwt',
	});
});
