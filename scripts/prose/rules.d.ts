/** The rules are written without types. */
declare module 'textlint-rule-prh' {
	import type { TextlintRuleModule } from '@textlint/types';
	const rule: TextlintRuleModule;
	export default rule;
}
declare module 'textlint-rule-en-max-word-count' {
	import type { TextlintRuleModule } from '@textlint/types';
	const rule: TextlintRuleModule;
	export default rule;
}
declare module 'textlint-rule-write-good' {
	import type { TextlintRuleModule } from '@textlint/types';
	const rule: TextlintRuleModule;
	export default rule;
}
