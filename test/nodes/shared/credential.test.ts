import { serverSettings } from '../../../nodes/shared/connect';
import { readControlCredential, readCredential } from '../../../nodes/shared/credential';

const DEFAULT = 'http://127.0.0.1:8188';
const ELSEWHERE = 'http://studio:8188';

describe('where Automatic may look for an engine besides Base URL', () => {
	it.each([
		['at Engine URL', { baseUrl: 'http://gpu-box:8189', engineUrl: ELSEWHERE }, ELSEWHERE, false],
		['at the Engine URL nobody has touched, for a Base URL nobody has touched', { baseUrl: 'http://127.0.0.1:8189', engineUrl: DEFAULT }, DEFAULT, false],
		['at the Engine URL nobody has touched behind a proxy on the same computer', { baseUrl: 'http://localhost:9000', engineUrl: DEFAULT }, DEFAULT, true],
		['nowhere: the Engine URL nobody has touched is of another computer', { baseUrl: 'http://gpu-box:8189', engineUrl: DEFAULT }, '', true],
	])('%s', (_, data, engineUrl, engineUrlIsAssumed) => {
		expect(readCredential('comfySelfHostedApi', data)).toMatchObject({ interface: 'automatic', baseUrl: data.baseUrl, engineUrl, engineUrlIsAssumed });
		expect(readControlCredential('comfySelfHostedApi', data)).toMatchObject({ interface: 'automatic', needsEngine: true, engineUrl, engineUrlIsAssumed });
		expect(serverSettings(readControlCredential('comfySelfHostedApi', data))).toMatchObject({ wanted: 'engine', engineUrl, engineUrlIsAssumed });
	});
});

it('Interface Engine goes to Engine URL, with its Authorization', () => {
	const data = { baseUrl: 'http://gpu-box:8189', engineUrl: DEFAULT, engineAuthorizationSecret: 'Basic of-the-front' };
	expect(readCredential('comfySelfHostedApi', data, 'engine')).toMatchObject({ baseUrl: DEFAULT, authorization: 'Basic of-the-front', addressLabel: 'Engine URL' });
});
