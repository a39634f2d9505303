import { type InterfaceName, UnknownOutcomeError } from '../../../client';
import { ItemFault } from '../operations';
import { lostOnEngine } from './engine';
import { type Words, words } from './words';

/** A submission is in doubt over one interface, and another one answers now: there it would be another job. */
export class OtherInterfaceError extends UnknownOutcomeError {
	/** For a program it is the same. */
	override get name(): string {
		return UnknownOutcomeError.name;
	}

	constructor(
		key: string | null,
		readonly sentOver: InterfaceName,
		readonly nowFound: InterfaceName,
	) {
		super(key ?? undefined);
	}
}

const NAMES: Record<InterfaceName, string> = { v2: 'v2', v1: 'v1', engine: 'Engine' };

/** The job of an earlier try belongs to another interface than the one that answers now. */
export const jobElsewhere = (jobId: string, sentOver: InterfaceName, nowFound: InterfaceName): ItemFault =>
	new ItemFault(
		`Job ${jobId} was submitted over the interface ${NAMES[sentOver]}, and now the interface ${NAMES[nowFound]} answers, which does not know it`,
		`It was not submitted again. Make sure that ${NAMES[sentOver]} is reachable again, then retry this execution, or read the job with Interface set to ${NAMES[sentOver]}.`,
	);

const otherInterface = ({ sentOver, nowFound, idempotencyKey }: OtherInterfaceError): Words =>
	words(
		`The submission may have been made over the interface ${NAMES[sentOver]}, but its answer was lost, and now the interface ${NAMES[nowFound]} answers`,
		`It was not sent over ${NAMES[nowFound]}, because that would be a second job. Make sure that ${NAMES[sentOver]} is reachable again and retry this execution, or look for the job there.`,
		idempotencyKey && `Its idempotency key is ${idempotencyKey}.`,
	);

const LOST = 'The submission may have been made, but its answer was lost and no job could be found for it';

/** It was sent, and nobody can say what came of it. */
export function unknownOutcomeWords(cause: UnknownOutcomeError): Words {
	if (cause instanceof OtherInterfaceError) return otherInterface(cause);
	if (cause.jobId !== undefined) return words(LOST, ...lostOnEngine(cause.jobId, cause.idempotencyKey));
	return words(
		LOST,
		cause.idempotencyKey === undefined
			? 'It was not sent again, because a second job would be billed too. Look for the job in the service before you run this item again.'
			: `It was not sent again under another key, because a second job would be billed too. Look for the job in the service; its idempotency key is ${cause.idempotencyKey}. Retrying this execution asks again with the same key.`,
	);
}
