/** How v1 reads requests and refuses them. */
import type { FastifyReply } from 'fastify';
import type { EngineErrorBody } from '../engine/answers';
import type { Behaviour } from '../behaviour';
import { Refusal, type RefusalFacts } from '../service/traits';
import { isRecord, isStringArray } from '../json';

/** A workflow that cannot run. */
export class WorkflowRefusal extends Refusal {
	constructor(
		readonly answer: EngineErrorBody,
		/** The errors by node, for services that send nothing else. */
		readonly nodeErrors: Record<string, unknown>,
	) {
		super({ status: 400, code: answer.error.type, message: answer.error.message });
	}
}

export const invalid = (message: string): Refusal => new Refusal({ status: 400, code: 'invalid_request', message });

export const unknown = (what: string): Refusal => new Refusal({ status: 404, code: 'not_found', message: `No such ${what}` });

/** Without Retry-After: a 429 of v1 is not about the rate of requests. */
export function sendError(reply: FastifyReply, error: unknown, behaviour: Behaviour): FastifyReply {
	if (error instanceof WorkflowRefusal) {
		if (behaviour.v1Rejections === 'ok_with_error') return reply.code(200).send(error.answer);
		if (behaviour.v1Rejections === 'ok_with_node_errors') return reply.code(200).send({ node_errors: error.nodeErrors });
	}
	const { status, code, message } = factsOf(error);
	return reply.code(status).send(error instanceof WorkflowRefusal ? error.answer : { code, message });
}

function factsOf(error: unknown): RefusalFacts {
	if (error instanceof Refusal) return error.facts;
	const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
	if (status >= 400 && status < 500 && error instanceof Error) return { status: 400, code: 'invalid_request', message: error.message };
	// The service hides such causes from callers. The developer should see them.
	process.emitWarning(error instanceof Error ? error : String(error));
	return { status: 500, code: 'internal_error', message: 'Internal server error' };
}

export type Query = Record<string, string | string[] | undefined>;

/** @throws Refusal if the value is not a whole number within these limits. */
export function readCount(query: Query, name: string, { least, most, otherwise }: Record<'least' | 'most' | 'otherwise', number>): number {
	const text = [query[name]].flat()[0];
	const count = text === undefined ? otherwise : Number(text);
	if (!Number.isInteger(count) || count < least || count > most) throw invalid(`${name} must be a whole number from ${least} to ${most}`);
	return count;
}

interface IdSelection {
	ids: string[];
	clear: boolean;
}

/** Reads the body `{delete?, clear?}`, without other fields. @throws Refusal. */
export function readIdSelection(body: unknown): IdSelection {
	if (!isRecord(body)) throw invalid('The body must be a JSON object');
	const odd = Object.keys(body).find((field) => field !== 'delete' && field !== 'clear');
	if (odd !== undefined) throw invalid(`The body has no field ${odd}`);
	const { delete: ids = [], clear = false } = body;
	if (!isStringArray(ids)) throw invalid('delete must be a list of job ids');
	if (typeof clear !== 'boolean') throw invalid('clear must be true or false');
	return { ids, clear };
}
