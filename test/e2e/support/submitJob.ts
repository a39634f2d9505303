import type { Sandbox } from '../../../sandbox';

/** A job that n8n knows nothing of, as another client of the account submits it. Returns its id. */
export async function submitJob({ urls, keys }: Sandbox, workflow: object, surface: 'hosted' | 'deployment' = 'hosted'): Promise<string> {
	const answer = await fetch(`${urls[surface]}/api/v2/jobs`, {
		method: 'POST',
		headers: { authorization: `Bearer ${keys.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ workflow }),
	});
	if (!answer.ok) throw new Error(`The sandbox refused a job: ${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { id: string }).id;
}
