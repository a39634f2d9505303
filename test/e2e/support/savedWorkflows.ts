/** What *Save* does in the ComfyUI at this address. */
export async function saveInComfy(address: string, path: string, workflow: object): Promise<void> {
	const answer = await fetch(`${address}/api/userdata/${encodeURIComponent(`workflows/${path}`)}?overwrite=true`, {
		method: 'POST',
		body: JSON.stringify(workflow),
	});
	if (!answer.ok) throw new Error(`ComfyUI did not save ${path}: ${answer.status} ${await answer.text()}`);
}
