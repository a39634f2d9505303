/** Every member of every set of codes, statuses and types has a row in the suite that tests the set. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const read = (file: string): string => readFileSync(join(__dirname, '../..', file), 'utf8');

const MESSAGES = 'nodes/shared/messages/messages.test.ts';
const SUITES: Record<string, Record<string, string>> = {
	'client/comfyui/frames/frame.ts': { Frame: 'client/comfyui/frames/readFrame.test.ts' },
	'client/comfyui/frames/textFrame.ts': { KNOWN_TYPES: 'client/comfyui/frames/readFrame.test.ts' },
	'client/comfyui/outputs.ts': { TYPE_OF_KEY: 'client/v1/outputs.test.ts' },
	'client/comfyui/statuses.ts': { STATUS_OF_WORD: 'client/v1/reads.test.ts', TELLING_WORDS: 'client/v1/reads.test.ts' },
	'client/connect.ts': { CONNECTORS: 'client/refusal.test.ts' },
	'client/engine/refusal.ts': { CODE_OF_STATUS: 'client/refusal.test.ts' },
	'client/errors.ts': { ConnectionTrouble: MESSAGES },
	'client/files/contentTypes.ts': { EXTENSIONS: 'client/files/fileType.test.ts', SAME_TYPE: 'client/files/fileType.test.ts' },
	'client/files/fileType.ts': { UNFIT: 'client/files/fileType.test.ts' },
	'client/files/remoteFile.ts': { EXPIRED_STATUSES: 'client/files/remoteFaults.test.ts' },
	'client/graph/check/types.ts': { CheckFault: 'client/graph/check/check.test.ts' },
	'client/graph/form/convert.ts': { TRUE: 'client/graph/form.test.ts', FALSE: 'client/graph/form.test.ts' },
	'client/graph/form/kinds.ts': { KINDS: 'client/graph/form.test.ts' },
	'client/graph/form/literals.ts': { ORNAMENTS: 'client/graph/form.test.ts' },
	'client/graph/form/types.ts': { InputKind: 'client/graph/form.test.ts', InputRole: 'client/graph/form.test.ts' },
	'client/job.ts': { JobStatus: 'client/lost/jobFinder.test.ts', TERMINAL: 'client/lost/jobFinder.test.ts' },
	'client/list/listedJobs.ts': { LISTED_STATUSES: 'client/list/listedJobs.test.ts', NO_LIST_CODES: 'client/lost/listedJobs.test.ts' },
	'client/lost/likeness.ts': { Likeness: 'client/lost/likeness.test.ts' },
	'client/news/news.ts': { NEWS_KINDS: 'client/news/selection.test.ts' },
	'client/news/selection.ts': { WantedNews: 'client/news/selection.test.ts' },
	'client/news/throttle.ts': { REPLACEABLE: 'client/news/selection.test.ts' },
	'client/observer.ts': { FoundBy: 'client/lost/jobFinder.test.ts' },
	'client/pace/pace.ts': { RefusalKind: 'client/pace/pace.test.ts' },
	'client/router/buckets.ts': { ROUTER_BUCKETS: 'client/router/buckets.test.ts', OF_STATUS: 'client/router/refusal.test.ts' },
	'client/router/ended.ts': { NOTHING_CAME: 'client/router/runQueued.test.ts' },
	'client/router/inputForm/filePlace.ts': { FilePlace: 'client/router/inputForm.test.ts' },
	'client/router/inputForm/inputError.ts': { InputFault: 'client/router/inputForm.test.ts' },
	'client/router/inputForm/types.ts': { JsonType: 'client/router/inputForm.test.ts' },
	'client/router/prefix.ts': { RouterPrefix: 'client/router/access.test.ts' },
	'client/router/retryTable.ts': { FINAL_CODES: 'client/router/retryTable.test.ts', OF_THE_RUN: 'client/router/runQueued.test.ts' },
	'client/transport/contentCoding.ts': { DECODERS: 'client/files/remoteFaults.test.ts' },
	'client/transport/response.ts': { REDIRECTS: 'faults/faults/redirects.ts' },
	'client/transport/serverContact.ts': { GATEWAY_STATUSES: 'client/refusal.test.ts' },
	'client/v1/jobError.ts': { SENTENCES: 'client/v1/reads.test.ts' },
	'client/v1/refusal.ts': { CODE_OF_STATUS: 'client/refusal.test.ts' },
	'client/v2/labels.ts': { OF_LABELS: 'client/v2/labels.test.ts', PERHAPS_OF_LABELS: 'client/v2/labels.test.ts' },
	'client/v2/refusal.ts': { CODE_OF_STATUS: 'client/refusal.test.ts' },
	'client/v2/submit.ts': { BUSY_CODES: 'client/v2/submit.test.ts', NO_JOB_STATUSES: 'client/v2/lostAnswers.test.ts' },
	'client/v2/verify.ts': { GOOD_CODES: 'client/verifyAccess.test.ts' },
	'client/wait/confirmCancel.ts': { STOPPED: 'client/v1/cancel.test.ts' },
	'nodes/ComfyProgressTrigger/settings.ts': { DELIVERIES: 'nodes/trigger/engine.test.ts' },
	'nodes/ComfyRunWorkflow/seeds.ts': { TAKE_LONG_SEEDS: 'nodes/run/seeds.test.ts' },
	'nodes/shared/app/fields.ts': { WHY: 'nodes/shared/appFields.test.ts' },
	'nodes/shared/credentials.ts': { readers: 'nodes/shared/credentials.test.ts' },
	'nodes/shared/inputFiles/placeFiles.ts': { NO_FILES: 'nodes/run/files.test.ts' },
	'nodes/shared/items/shutdown.ts': { SIGNALS: 'nodes/shared/items/shutdown.test.ts' },
	'nodes/shared/jobs/download/filter.ts': { MEDIA: 'nodes/download/download.test.ts', KNOWN_TYPES: 'nodes/download/download.test.ts' },
	'nodes/shared/messages/connection.ts': { OF_AN_ADDRESS: MESSAGES },
	'nodes/shared/messages/fieldOf.ts': { SHOWN_BY: MESSAGES },
	'nodes/shared/messages/tables/job.ts': { adviceByCode: MESSAGES, GONE: 'nodes/download/faults.test.ts' },
};

/** The names and numbers of a constant's elements or keys, or of a union's types. */
function membersOf(file: string, name: string): string[] {
	const literals = (node: ts.Node | undefined): string[] =>
		node && (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node) || ts.isIdentifier(node)) ? [node.text] : [];
	const ofType = (type: ts.TypeNode): string[] => {
		if (ts.isUnionTypeNode(type)) return type.types.flatMap(ofType);
		if (ts.isLiteralTypeNode(type)) return literals(type.literal);
		if (!ts.isTypeLiteralNode(type)) return [];
		return type.members.flatMap((one) =>
			ts.isPropertySignature(one) && /^(fault|kind)$/.test(one.name.getText()) && one.type ? ofType(one.type) : [],
		);
	};
	const ofValue = (value: ts.Node): string[] => {
		if (ts.isAsExpression(value)) return ofValue(value.expression);
		if (ts.isNewExpression(value)) return (value.arguments ?? []).flatMap(ofValue);
		if (ts.isObjectLiteralExpression(value)) return value.properties.flatMap(({ name: key }) => literals(key));
		if (!ts.isArrayLiteralExpression(value)) return [];
		return value.elements.flatMap((one) => literals(ts.isArrayLiteralExpression(one) ? one.elements[0] : one));
	};
	return ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true).statements.flatMap((statement) => {
		if (ts.isTypeAliasDeclaration(statement)) return statement.name.text === name ? ofType(statement.type) : [];
		if (!ts.isVariableStatement(statement)) return [];
		const found = statement.declarationList.declarations.find((one) => one.name.getText() === name);
		return found?.initializer ? ofValue(found.initializer) : [];
	});
}

const SETS = Object.entries(SUITES).flatMap(([file, suites]) =>
	Object.entries(suites).map(([name, suite]) => ({ file, name, suite: `test/${suite}` })),
);

it.each(SETS)('every member of $name in $file has a row in $suite', ({ file, name, suite }) => {
	const members = membersOf(file, name);
	expect(members.length).toBeGreaterThan(1);
	const words = new Set(read(suite).match(/[^'"`\s[\]{},:()]+/g));
	expect(members.filter((member) => !member.split(' ').every((word) => words.has(word)))).toEqual([]);
});
