import { requireRecord } from '../decode';
import type { CallOptions } from '../ports';
import type { RouterApi } from './api';
import { answerFacts } from './headers';
import { inputSchemaOf } from './inputForm/schemaDocument';
import { modelPath } from './modelId';
import type { RouterInputSchema, RouterModelId } from './types';

interface Kept {
	etag: string;
	schema: RouterInputSchema;
}

/** The models' schemas: each is asked for every time, and sent by the router only when it has changed. */
export class InputSchemas {
	private readonly kept = new Map<RouterModelId, Kept>();

	constructor(private readonly api: RouterApi) {}

	/** @see ModelRouter.inputSchema */
	async read(id: RouterModelId, options: CallOptions = {}): Promise<RouterInputSchema> {
		const path = `${modelPath(id)}/openapi.json`;
		return await this.api.repeat(() => this.readOnce(id, path, options), options);
	}

	private async readOnce(id: RouterModelId, path: string, { signal }: CallOptions): Promise<RouterInputSchema> {
		const known = this.kept.get(id);
		const response = await this.api.exchange({
			method: 'GET',
			url: await this.api.route(path, { signal }),
			headers: known && { 'if-none-match': known.etag },
			signal,
			totalMs: this.api.limits.requestMs,
		});
		if (response.status === 304 && known !== undefined) {
			await response.discard();
			return { ...known.schema, ...answerFacts(response) };
		}
		if (!response.ok) throw await this.api.refusalOf(response);
		const document = await this.api.decoded(response, (json) => requireRecord(json, 'document'), { exactNumbers: true });
		const schema = { ...answerFacts(response), document, ...inputSchemaOf(document, id) };
		this.keep(id, response.header('etag'), schema);
		return schema;
	}

	private keep(id: RouterModelId, etag: string | undefined, schema: RouterInputSchema): void {
		if (etag === undefined) this.kept.delete(id);
		else this.kept.set(id, { etag, schema });
	}
}
