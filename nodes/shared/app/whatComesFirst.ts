/** The line in place of the form, before there is a workflow. @param action what to do above: "Choose" or "Paste". */
export const whatComesFirst = (action: string): string =>
	`${action} a workflow above: if it is an app, the inputs that its author has chosen appear here.`;
