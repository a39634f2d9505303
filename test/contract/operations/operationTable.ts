import type { Sandbox, Surface } from '../../../sandbox';
import type { Requests } from './requests';

/** The methods of an object and of those it holds: `jobs.submit`. */
export type MethodsOf<Held> = {
	[Name in keyof Held & string]-?: Exclude<Held[Name], undefined> extends (...args: never) => unknown
		? Name
		: Exclude<Held[Name], undefined> extends object
			? `${Name}.${MethodsOf<Exclude<Held[Name], undefined>>}`
			: never;
}[keyof Held & string];

/** By whom an operation is called, or why by nobody. */
export type Callers<Method extends string> = readonly Method[] | { uncalled: string };

export interface OperationTable<Method extends string> {
	/** Every description that this client's requests are of. */
	contracts: Record<string, Requests>;
	surfaces: readonly Surface[];
	/** Description → operation → who calls it: equal to what is described, and to what is sent. */
	operations: Record<string, Record<string, Callers<Method>>>;
	/** Calls every method, one by one. */
	calls(sandbox: Sandbox): Promise<MethodCalls<Method>>;
}

export interface MethodCalls<Method extends string> {
	calls: Record<Method, () => Promise<unknown>>;
	close(): Promise<void>;
}
