import { type ApiLimits, DEFAULT_LIMITS, ServiceApi } from '../../api';
import type { ApiError } from '../../errors';
import type { Egress } from '../../transport/egress';
import { HttpClient } from '../../transport/http';
import type { HttpResponse } from '../../transport/response';
import { USER_AGENT } from '../../transport/userAgent';

/** A host whose name is misspelt would be looked up again and again; and no server of files is silent for long. */
const LIMITS: ApiLimits = { ...DEFAULT_LIMITS, readBudgetMs: 10_000, downloadIdleMs: 30_000 };

/** Many servers answer nobody who does not say who asks. */
const PUBLIC_HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': USER_AGENT };

/** Any server of the web, for one address: it knows no key of the service, and answers are files or nothing. */
export class WebApi extends ServiceApi {
	/** @param url its user and password, if any, are sent to its own origin and to no other. */
	constructor(url: URL, egress: Egress = {}, limits: Partial<ApiLimits> = {}) {
		const http = new HttpClient({
			...egress,
			origin: url.origin,
			credential: basicOf(url),
			publicHeaders: PUBLIC_HEADERS,
			hidesPaths: true,
		});
		super(http, { origin: url.origin, prefix: '' }, { ...LIMITS, ...limits }, '');
	}

	protected override async ownRefusal(response: HttpResponse): Promise<ApiError> {
		await response.discard();
		throw response.unreadable('unexpected');
	}

	resolve(link: string): string {
		return link;
	}
}

function basicOf({ username, password }: URL): Record<string, string> {
	if (username === '' && password === '') return {};
	const login = `${decodedText(username)}:${decodedText(password)}`;
	return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

/** A percent sign that begins no code stands for itself. */
function decodedText(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
