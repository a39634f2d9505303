import sharp from 'sharp';
import type { WorkflowDocument } from '../../../scripts/n8nHost/documents';
import { nodeOf } from './exampleRuns';
import type { Session } from './session';
import { until } from './until';

/** Sends the node *Form* of a published workflow. @param fields in the order of the form. */
export async function sendForm({ rest }: Session, document: WorkflowDocument, fields: Array<string | File>): Promise<Response> {
	const body = new FormData();
	for (const [index, value] of fields.entries()) body.set(`field-${index}`, value);
	return await fetch(`${rest.url}/form/${nodeOf(document, 'Form').webhookId}`, { method: 'POST', body });
}

/** Waits until the form shows its last page. @returns the address of the page. */
export async function untilLastPage(sent: Response): Promise<string> {
	const { formWaitingUrl } = (await sent.json()) as { formWaitingUrl: string };
	const status = new URL(formWaitingUrl);
	status.pathname += '/n8n-execution-status';
	await until('the last page of the form', async () => (await (await fetch(status)).text()).trim() === 'form-waiting' || undefined);
	return formWaitingUrl;
}

/** 512 × 512 px, red on the left and blue on the right. */
export async function redAndBluePhoto(): Promise<File> {
	const blue = { create: { width: 256, height: 512, channels: 3 as const, background: '#0000ff' } };
	const red = { create: { width: 512, height: 512, channels: 3 as const, background: '#ff0000' } };
	const image = sharp(red).composite([{ input: blue, left: 256, top: 0 }]);
	return new File([await image.png().toBuffer()], 'me.png', { type: 'image/png' });
}
