/**
 * What a ComfyUI 0.19.3 answered on 2026-11-22, started with `--cpu`, without custom nodes and models, in this order; and
 * another one with `--multi-user`. Of its `app/user_manager.py` at 0.38.1 it is known, by reading, that it writes moments
 * as whole milliseconds, and sends files as attachments.
 */
import { anything, type Recorded } from './recorded';

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const bare = (status: number): Recorded['answer'] => [status, null, ''];
const file = (path: string, size: number) => ({ path, size, modified: anything, created: anything });

export const recordedLibrary: Recorded[] = [
	{
		on: 'GET /api/userdata?dir=workflows&recurse=true&split=false&full_info=true',
		name: 'before anything is saved',
		answer: [404, TEXT, 'Directory not found'],
	},
	{ on: 'GET /api/userdata', answer: [400, TEXT, 'Directory not provided'] },
	{ on: 'GET /api/userdata?dir=..', answer: [403, TEXT, 'Invalid directory'] },
	{ on: 'POST /api/userdata/workflows%2Fone.json?overwrite=true', send: '{"nodes":[]}', answer: [200, JSON_TYPE, 'workflows/one.json'] },
	{ on: 'POST /api/userdata/workflows%2Fone.json?overwrite=false', send: '{"nodes":[]}', answer: [409, TEXT, 'File already exists'] },
	{
		on: 'POST /api/userdata/workflows%2Fin%2Ftwo.app.json?full_info=true',
		send: '{"a":1}',
		answer: [200, JSON_TYPE, file('workflows/in/two.app.json', 7)],
	},
	{ on: 'POST /api/userdata/workflows%2F.index.json', send: '{}', answer: [200, JSON_TYPE, 'workflows/.index.json'] },
	{
		on: 'POST /api/userdata/workflows/three.json',
		name: 'a slash that is none of the name',
		send: '{"a":1}',
		answer: [405, TEXT, '405: Method Not Allowed'],
	},
	{ on: 'POST /api/userdata/..%2F..%2Fx.json', send: '{"a":1}', answer: bare(403) },
	{
		on: 'GET /api/userdata?dir=workflows&recurse=true&split=false&full_info=true',
		answer: [200, JSON_TYPE, [file('one.json', 12), file('in/two.app.json', 7)]],
	},
	{ on: 'GET /userdata?dir=workflows', answer: [200, JSON_TYPE, ['one.json']] },
	{ on: 'GET /api/userdata?dir=workflows/&recurse=true', answer: [200, JSON_TYPE, ['one.json', 'in/two.app.json']] },
	{
		on: 'GET /api/userdata?dir=workflows&recurse=true&split=true',
		answer: [
			200,
			JSON_TYPE,
			[
				['one.json', 'one.json'],
				['in/two.app.json', 'in', 'two.app.json'],
			],
		],
	},
	{ on: 'GET /api/userdata/workflows%2Fone.json', answer: [200, 'application/json', { nodes: [] }] },
	{ on: 'GET /api/userdata/workflows%252Fone.json', name: 'encoded twice', answer: [200, 'application/json', { nodes: [] }] },
	{ on: 'GET /api/userdata/workflows/one.json', answer: [404, 'application/octet-stream', ''] },
	{ on: 'GET /api/userdata/workflows%2Fnone.json', answer: [404, null, ''] },
	{ on: 'GET /api/userdata/workflows', name: 'a folder', answer: bare(403) },
	{ on: 'GET /api/userdata/..%2F..%2Fmain.py', answer: bare(403) },
	{ on: 'DELETE /api/userdata/workflows%2Fone.json', answer: bare(204) },
	{ on: 'DELETE /api/userdata/workflows%2Fone.json', name: 'again', answer: [404, null, ''] },
	{ on: 'DELETE /api/userdata/workflows%2Fin%2Ftwo.app.json', answer: bare(204) },
	{ on: 'GET /api/userdata?dir=workflows&recurse=true&full_info=true', name: 'after everything is deleted', answer: [200, JSON_TYPE, []] },
	{ on: 'GET /api/userdata/workflows%2Ffolder%2Fnone.json', name: 'whose folder it makes', answer: [404, null, ''] },
	{ on: 'GET /api/userdata?dir=workflows/folder', answer: [200, JSON_TYPE, []] },
	{ on: 'GET /api/users', answer: [200, JSON_TYPE, { storage: 'server', migrated: true }] },
	{ on: 'GET /templates/nowhere.json', answer: [404, TEXT, '404: Not Found'] },
	{ on: 'GET /api/workflow_templates/nopack/nope.json', answer: [404, 'application/octet-stream', ''] },
	{ on: 'GET /api/models/vae', answer: [200, JSON_TYPE, []] },
	{ on: 'GET /api/models/nowhere', answer: [404, null, ''] },
	{ on: 'GET /api/object_info/Unknown', answer: [200, JSON_TYPE, {}] },
	{ on: 'GET /api/embeddings', answer: [200, JSON_TYPE, []] },
];

const TROUBLE: Recorded['answer'] = [500, TEXT, '500 Internal Server Error\n\nServer got itself in trouble'];

/** With `--multi-user`, for requests without a user. */
export const recordedManyUsers: Recorded[] = [
	{ on: 'GET /api/userdata?dir=workflows&recurse=true&split=false&full_info=true', answer: TROUBLE },
	{ on: 'GET /api/userdata/workflows%2Fx.json', answer: TROUBLE },
	{ on: 'GET /api/users', answer: [200, JSON_TYPE, { storage: 'server', users: { ann_1: 'Ann' } }] },
];
