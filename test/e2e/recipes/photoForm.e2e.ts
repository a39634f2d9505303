import { type Execution, itemsOf, readExample } from '../../../scripts/n8nHost/documents';
import { colorsOf, nodeOf, succeeded } from '../support/exampleRuns';
import { redAndBluePhoto, sendForm, untilLastPage } from '../support/forms';
import { openSession, type Session } from '../support/session';
import { publish } from '../support/triggers';

const RUN = 'Comfy Run Workflow';
const STYLE = 'pencil drawing';
/** Of the recipe's KSampler: the part of each pixel that does not come from the photo. */
const DENOISE = 0.6;

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

const paidJobs = () => session.sandbox.ledger.runs.map(({ jobId }) => jobId);
const uploads = () => session.sandbox.requests('POST /api/v2/assets');

interface Sent {
	/** The last page of the form, as HTML. */
	page: string;
	execution: Execution;
}

/** Publishes the recipe with these options, sends its form, reads the last page twice, and waits for the end of the execution. */
async function send(file: File, options: Record<string, unknown> = {}): Promise<Sent> {
	const example = await readExample('photo-form');
	const { parameters } = nodeOf(example, RUN);
	parameters.options = { ...(parameters.options as object), ...options };
	const published = await publish(session, example);
	const lastPage = await untilLastPage(await sendForm(session, example, [file, STYLE]));
	const read = async () => await (await fetch(lastPage)).text();
	const page = await read();
	expect(await read()).toBe(page);
	await fetch(lastPage, { method: 'POST' });
	const [execution, ...others] = await published.until(1);
	await published.deactivate();
	expect(others).toEqual([]);
	return { page, execution: succeeded(execution!) };
}

const headingOf = (page: string) => /<h1>([^<]*)<\/h1>/.exec(page)?.[1];

test('the last page shows the photo in the chosen style, and a reload starts no second job', async () => {
	const file = await redAndBluePhoto();
	const { page, execution } = await send(file);
	expect(headingOf(page)).toBe('Your image is ready');
	const [, type, base64 = ''] = /<img [^>]*src="data:([^;]*);base64,([^"]*)"/.exec(page) ?? [];
	expect(type).toBe('image/png');
	const [item] = itemsOf(execution, RUN);
	expect(paidJobs()).toEqual([item?.json.job_id]);
	expect(session.sandbox.job(String(item?.json.job_id))?.graph['6']?.inputs.text).toBe(STYLE);
	const shown = Buffer.from(base64, 'base64');
	expect(shown.equals(await session.rest.binary(item?.binary?.data?.id ?? 'none'))).toBe(true);

	const [before, after] = [await colorsOf(Buffer.from(await file.arrayBuffer())), await colorsOf(shown)];
	expect([after.width, after.height]).toEqual([512, 512]);
	// Each value is a part of the photo's value and a part of a painted value from 0 to 255.
	const wrong = [...after.data.keys()].filter((index) => {
		const painted = (after.data[index]! - (1 - DENOISE) * before.data[index]!) / DENOISE;
		return painted < -2 || painted > 257;
	});
	expect(wrong).toEqual([]);
	expect(after.data.equals(before.data)).toBe(false);
});

test('if ComfyUI rejects the job, the last page shows the message as text and no job is paid', async () => {
	const answer = { status: 400, code: 'invalid_workflow', message: 'no such <b>checkpoint</b>' };
	session.sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, answer });
	const { page, execution } = await send(await redAndBluePhoto());
	expect(headingOf(page)).toBe('The image could not be generated');
	expect(page).toContain('The server rejected this workflow: no such ‹b›checkpoint‹/b›');
	expect(itemsOf(execution, 'Show Image')).toEqual([]);
	expect(paidJobs()).toEqual([]);
});

test('a file that is not an image gets its own page, before an upload or a job', async () => {
	const { page } = await send(new File(['hello'], 'notes.txt', { type: 'text/plain' }));
	expect(headingOf(page)).toBe('This file is not an image');
	expect(page).toContain('notes.txt is not an image. Open the form again, and choose a JPEG, PNG or WebP file. Nothing was generated.');
	expect(uploads()).toEqual([]);
	expect(paidJobs()).toEqual([]);
});

test('a job that takes longer than Max Wait leaves its number on the last page', async () => {
	session.sandbox.configure({ workers: 0 });
	const { page } = await send(await redAndBluePhoto(), { maxWaitMinutes: 0.02 });
	expect(headingOf(page)).toBe('The image is not ready yet');
	expect(page).toContain(`Its number is ${paidJobs()[0]}.`);
	expect(paidJobs()).toHaveLength(1);
});
