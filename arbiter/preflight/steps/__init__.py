"""The steps of a check, each an async function that returns a finding."""
