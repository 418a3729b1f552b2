<?php
require __DIR__ . '/../entries.php';

$entries = load_entries();
echo '<h1>Guest book</h1><p>', count($entries), ' entries</p>';
foreach ($entries as [$name, $text]) {
    echo '<p>', htmlspecialchars($name), ': ', htmlspecialchars($text), '</p>';
}
