/** Templates, in the shape of the real index, but with workflows of the sandbox. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Behaviour } from '../behaviour';
import { editorWorkflow } from '../service/editorWorkflow';
import { sendNoFile } from './answers';

const picture = (color: number, extra?: Record<string, unknown>) => editorWorkflow(color, 'template', extra);

const FILES: Readonly<Record<string, Record<string, unknown>>> = {
	sandbox_plain_colour: picture(0x336699),
	sandbox_colour_app: picture(0x993366, {
		linearMode: true,
		linearData: {
			inputs: [
				[1, 'width'],
				[1, 'color'],
			],
			outputs: [2],
		},
	}),
	sandbox_red: picture(0xcc0000),
};
const OF_PACKS: Readonly<Record<string, Record<string, Record<string, unknown>>>> = {
	'sandbox-colours': { 'Green & Co': picture(0x00cc00) },
};

const entry = (name: string, title: string, description: string) => ({
	name,
	title,
	mediaType: 'image',
	mediaSubtype: 'webp',
	description,
	tags: ['Image'],
	models: [],
	date: '2026-04-01',
	size: 0,
	vram: 0,
});
const group = (title: string, type: string, templates: object[]) => ({
	moduleName: 'default',
	category: 'GENERATION TYPE',
	icon: 'icon-[lucide--image]',
	title,
	type,
	templates,
});

const INDEX = [
	group('Getting Started', 'image', [entry('sandbox_plain_colour', 'Plain Colour', 'One picture of one colour')]),
	group('Image', 'image', [
		entry('sandbox_colour_app', 'Colour By Choice', 'Choose width and colour'),
		entry('sandbox_red', 'Red', 'A red picture'),
		entry('sandbox_plain_colour', 'Plain Colour', 'One picture of one colour'),
	]),
];

/** Sends a buffer, because Fastify adds a charset to strings. */
const send = (reply: FastifyReply, value: unknown): FastifyReply =>
	value === undefined ? sendNoFile(reply) : reply.type('application/json').send(Buffer.from(JSON.stringify(value)));
const own = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
	record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;

/** Templates of the web interface, which are not below `/api`. */
export function templateRoutes(app: FastifyInstance, behaviour: Behaviour, mount: string): void {
	app.get<{ Params: { file: string } }>(`${mount}/templates/:file`, ({ params: { file } }, reply) => {
		if (behaviour.engineTemplates === 'absent') return sendNoFile(reply);
		const found = file === 'index.json' ? INDEX : own(FILES, file.replace(/\.json$/, ''));
		return found === undefined ? reply.code(404).type('text/plain; charset=utf-8').send('404: Not Found') : send(reply, found);
	});
}

const packsOf = ({ engineTemplates }: Behaviour) => (engineTemplates === 'absent' ? undefined : OF_PACKS);

/** The names of the templates of custom nodes. */
export function packListRoute(app: FastifyInstance, behaviour: Behaviour): void {
	app.get('/workflow_templates', (_request, reply) => {
		const packs = packsOf(behaviour);
		return send(reply, packs && Object.fromEntries(Object.entries(packs).map(([pack, files]) => [pack, Object.keys(files)])));
	});
}

/** One template of a custom node. The engine serves these files only below `/api`. */
export function packTemplateRoute(app: FastifyInstance, behaviour: Behaviour): void {
	app.get<{ Params: { pack: string; file: string } }>('/workflow_templates/:pack/:file', ({ params: { pack, file } }, reply) =>
		send(reply, own(own(packsOf(behaviour), pack), file.replace(/\.json$/, ''))),
	);
}
