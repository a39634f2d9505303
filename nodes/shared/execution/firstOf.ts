import { Recently } from './recently';

/** Execution → the first of those that it is a retry of, as far as this process has seen them. */
const firsts = new Recently<string>(10_000);

/** Every retry of an execution, and every retry of that, stands for the same one. */
export const firstOf = (executionId: string, retryOf = executionId): string => firsts.set(executionId, firsts.get(retryOf) ?? retryOf);
