import { findPlaceholder, findPlaceholderAlone, GraphError, type GraphInput } from '../../../client';

/**
 * @param isEntered whether the user entered the value itself. An expression may return a text that quotes a placeholder.
 * @throws GraphError `value_is_placeholder`.
 */
export function checkPlaceholder({ input, label }: GraphInput, value: unknown, isEntered: boolean): void {
	if (typeof value !== 'string') return;
	const placeholder = (isEntered ? findPlaceholder : findPlaceholderAlone)(input, value);
	if (placeholder !== undefined) throw new GraphError({ fault: 'value_is_placeholder', label, placeholder });
}
