/** An execution, as its retries find it again: they have another id, and after n8n has died nothing else is kept. */
export interface ExecutionPlace {
	/** The same in every retry of an execution, and in no other. */
	parts: Array<string | number>;
	/** Of a retry: from then on (epoch milliseconds) one that it is a retry of may have submitted something. */
	mayHaveSentSince?: number;
	/** A retry of which n8n does not tell when its execution first began: nobody can know what that has sent. */
	isStartLost?: true;
}
