<?php
// Installs a site of the tests, with one user of each role, and says their application passwords as JSON.
define('WP_INSTALLING', true);
require getenv('WORDPRESS_FOLDER') . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('A site of the tests', 'alice', 'alice@example.com', true, '', wp_generate_password());
update_option('permalink_structure', '/%postname%/');
wp_delete_post(1, true);
$passwords = [];
foreach (['alice' => 'administrator', 'author' => 'author', 'reader' => 'contributor'] as $name => $role) {
  $user = ['user_login' => $name, 'user_pass' => wp_generate_password(), 'role' => $role];
  $id = $name === 'alice' ? 1 : wp_insert_user($user);
  [$password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'Postrider']);
  $passwords[$name] = WP_Application_Passwords::chunk_password($password);
}
echo json_encode($passwords);
